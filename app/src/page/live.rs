//! Keeps a page up to date without script of its size: a few lines ask whether something has changed, and then show it.

/// The script of a page whose `main` has the id `id` and, as `data-version`, the version that it shows; `version` is the
/// address of the current version, which may hold the request until that differs. It may have a query.
///
/// Polls in hidden tabs as well: the number of open questions is in the title. A held response leads to the next request at
/// once, without a timer, which browsers slow down in hidden tabs; any other after a delay. After a lost connection the request
/// is not held, so that recovery is soon known. Puts the new `main` in place of the one shown or, where only parts of it change
/// (`data-live`, each with an id), only these, so that focus and typed text stay; styles are left out, since their nonce
/// differs. If the page no longer exists, reloads.
pub(super) fn script(version: &str, id: &str) -> String {
    let seen = if version.contains('?') { "&seen=" } else { "?seen=" };
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
fetch('{version}'+(lost.hidden?'{seen}'+encodeURIComponent(seen):''))\
.then((r)=>r.ok?r.text():Promise.reject(r)).then((now)=>{{lost.hidden=true;\
return now!==seen&&fetch(location.href).then((r)=>r.ok?r.text():Promise.reject(r)).then(show).then(()=>true)}})\
.then(again,()=>{{lost.hidden=false;setTimeout(ask,2000)}})}};ask()"
    )
}
