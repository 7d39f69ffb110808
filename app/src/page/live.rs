//! Keeps a page up to date without script of its size: a few lines look whether something has changed, and then show it.

/// The script of a page whose `main` has the id `id` and says, as `data-version`, what it shows; `version` is the address of
/// what it would show now.
///
/// Asks also where nobody looks: the number of open questions is in the title. Puts the new `main` in the place of what is
/// shown, so that the focus stays where it was, and without its styles, whose nonce is another one. Where there is no such
/// page any more, it is loaded again.
pub(super) fn script(version: &str, id: &str) -> String {
    format!(
        "\
const lost=document.getElementById('not-live');let main=document.querySelector('main');\
const show=(html)=>{{const bare=html.replace(/<(style)[^]*?<\\/\\1>/g,''),\
page=new DOMParser().parseFromString(bare,'text/html'),next=page.getElementById('{id}');\
if(!next)return location.reload();\
const at=document.activeElement?.id;main.replaceWith(next);main=next;document.title=page.title;\
const icon=page.querySelector('link[rel=icon]');if(icon)document.querySelector('link[rel=icon]').href=icon.href;\
if(at)document.getElementById(at)?.focus()}};\
setInterval(()=>{{fetch('{version}')\
.then((r)=>r.ok?r.text():Promise.reject(r)).then((now)=>{{lost.hidden=true;\
if(now!==main.dataset.version)return fetch(location.href).then((r)=>r.text()).then(show)}})\
.catch(()=>{{lost.hidden=false}})}},2000)"
    )
}
