//! Keeps a page up to date without script of its size: a few lines ask whether something has changed, and then show it.

/// The script of a page whose `main` has the id `id` and says, as `data-version`, what it shows; `version` is the address of
/// what it would show now, which may hold the question until that is something else.
///
/// Asks also where nobody looks: the number of open questions is in the title. An answer that was held leads to the next
/// question at once, without a timer, which browsers slow down where nobody looks; any other after a while. After the connection
/// was lost the question is one that is not held, so that it is soon known to be there again. Puts the new
/// `main` in the place of what is shown, or, where only parts of it change (`data-live`, each with an id), these, so that the focus
/// stays where it was, and what was typed; and without its styles, whose nonce is another one. Where there is no such page any
/// more, it is loaded again.
pub(super) fn script(version: &str, id: &str) -> String {
    format!(
        "\
const lost=document.getElementById('not-live');let main=document.querySelector('main');\
const show=(html)=>{{const bare=html.replace(/<(style)[^]*?<\\/\\1>/g,''),\
page=new DOMParser().parseFromString(bare,'text/html'),next=page.getElementById('{id}');\
if(!next)return location.reload();\
const at=document.activeElement?.id,live=next.querySelectorAll('[data-live]');\
for(const part of live)document.getElementById(part.id)?.replaceWith(part);\
if(live[0])main.dataset.version=next.dataset.version;else{{main.replaceWith(next);main=next}}\
document.title=page.title;\
const icon=page.querySelector('link[rel=icon]');if(icon)document.querySelector('link[rel=icon]').href=icon.href;\
if(at)document.getElementById(at)?.focus()}};\
const ask=()=>{{const began=Date.now(),seen=main.dataset.version,\
again=(shown)=>Date.now()-began>1000?ask():setTimeout(ask,shown?100:2000);\
fetch('{version}'+(lost.hidden?'?seen='+encodeURIComponent(seen):''))\
.then((r)=>r.ok?r.text():Promise.reject(r)).then((now)=>{{lost.hidden=true;\
return now!==seen&&fetch(location.href).then((r)=>r.ok?r.text():Promise.reject(r)).then(show).then(()=>true)}})\
.then(again,()=>{{lost.hidden=false;setTimeout(ask,2000)}})}};ask()"
    )
}
