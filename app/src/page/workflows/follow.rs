//! Keeps the page of a workflow up to date without script of its size.

/// The script of a page whose `main` has, as `data-seq`, the last event that it reflects; `query` selects the events that
/// concern it.
///
/// It follows the event stream from there, and every event has the page rendered anew. Changed parts (`data-live`, each with an
/// id) replace those shown and keep input, unfolded details and scroll positions; so text that the user is writing in another
/// part is not touched, and nothing is while an input method is active. The main change is announced (`data-say`).
///
/// Without a stream the page is polled all the same: that fails if the connection is lost, and is the only source if too many
/// streams are open.
///
/// While agents work (`data-looks`) the page is also polled every two seconds, because no event reports what a model does;
/// durations (`data-counts`) are counted here, by the server's clock.
///
/// The JSON of an event is fetched from its page when it is unfolded (`event-…`), and replaces the link there.
///
/// A hidden page releases its stream, since a browser has few connections for all its tabs, and polls from time to time: the
/// number of questions is in the title.
pub(super) fn script(query: &str) -> String {
    let root = crate::site::root();
    format!(
        "\
const at=(id)=>document.getElementById(id),lost=at('not-live'),main=document.querySelector('main'),\
parts=(of)=>[...of.querySelectorAll('[data-live]')],shown=new Map(parts(main).map((p)=>[p.id,p.outerHTML]));\
let busy=false,again=false,composing=false,stream,skew=0;\
const unit=(n,unit)=>new Intl.NumberFormat(document.documentElement.lang,{{style:'unit',unit,unitDisplay:'short'}}).format(n);\
const count=()=>{{for(const e of document.querySelectorAll('time[data-counts]')){{\
const s=Math.max(0,Math.floor((Date.now()-skew-Date.parse(e.dateTime))/1000)),m=Math.floor(s/60);\
e.textContent=m?unit(m,'minute')+' '+unit(s%60,'second'):unit(s,'second')}}}};\
addEventListener('compositionstart',()=>composing=true);\
addEventListener('compositionend',()=>{{composing=false;if(again)refresh()}});\
const keep=(from,to)=>{{for(const e of [from,...from.querySelectorAll('[id]')]){{\
const n=e===from?to:to.querySelector('#'+CSS.escape(e.id));if(!n)continue;\
if(e.tagName==='DETAILS'){{n.open=e.open;const had=e.querySelector(':scope>pre'),link=n.querySelector(':scope>a');\
if(had&&link)link.replaceWith(had)}}\
if(e.defaultValue!==undefined&&e.value!==e.defaultValue)n.value=e.value;\
if(e.checked)n.checked=true;n.kept=[e.scrollLeft,e.scrollTop]}}}};\
const parsed=(html)=>new DOMParser().parseFromString(html.replace(/<(style)[^]*?<\\/\\1>/g,''),'text/html');\
addEventListener('toggle',({{target:d}})=>{{const link=d.open&&d.id.startsWith('event-')&&d.querySelector(':scope>a');\
if(link)fetch(link.href).then((r)=>r.ok?r.text():Promise.reject(r)).then((html)=>{{\
const whole=parsed(html).querySelector('pre.json');if(whole)link.replaceWith(whole)}}).catch(()=>{{}})}},true);\
const swap=(page)=>{{const next=page.querySelector('main');\
if(next?.id!==main.id)return location.reload();\
document.title=page.title;const icon=page.querySelector('link[rel=icon]');\
if(icon)document.querySelector('link[rel=icon]').href=icon.href;main.dataset.seq=next.dataset.seq;\
main.toggleAttribute('data-looks','looks'in next.dataset);\
if(main.dataset.say!==next.dataset.say)at('heard').textContent=main.dataset.say=next.dataset.say;\
for(const n of parts(next)){{const o=at(n.id),html=n.outerHTML;if(!o||shown.get(n.id)===html)continue;\
shown.set(n.id,html);const f=document.activeElement,own=o.contains(f)&&f.id,caret=own&&f.selectionStart;\
keep(o,n);o.replaceWith(n);for(const e of [n,...n.querySelectorAll('[id]')])\
if(e.kept)[e.scrollLeft,e.scrollTop]=e.kept;\
const g=own&&at(own);if(g){{g.focus({{preventScroll:true}});\
if(typeof caret==='number')g.setSelectionRange?.(caret,caret)}}\
else if(own!==false){{main.focus({{preventScroll:true}})}}}}count()}};\
const refresh=()=>{{if(busy||composing)return again=true;busy=true;again=false;\
fetch(location.href).then((r)=>{{const date=Date.parse(r.headers.get('date'));if(date)skew=Date.now()-date;\
return r.ok?r.text():Promise.reject(r)}}).then((html)=>{{\
swap(parsed(html));lost.hidden=true}})\
.catch(()=>{{lost.hidden=false}}).then(()=>setTimeout(()=>{{busy=false;if(again)refresh()}},250))}};\
const follow=async()=>{{const own=stream=new AbortController();try{{\
const answer=await fetch('{root}/api/v1/events/stream?{query}since='+main.dataset.seq,{{signal:own.signal}});\
if(!answer.ok)throw answer;if(!lost.hidden)refresh();\
const reader=answer.body.getReader(),text=new TextDecoder();\
for(;;){{const {{done,value}}=await reader.read();if(done)break;\
if(/^(id|event):/m.test(text.decode(value)))refresh()}}\
setTimeout(()=>own===stream&&follow(),100)\
}}catch{{if(own!==stream)return;refresh();setTimeout(()=>own===stream&&follow(),1000)}}}};\
const let_go=()=>{{const own=stream;stream=null;own?.abort()}};\
addEventListener('visibilitychange',()=>{{if(document.hidden)let_go();else if(!stream){{refresh();follow()}}}});\
addEventListener('pagehide',let_go);addEventListener('pageshow',(e)=>e.persisted&&location.reload());\
setInterval(()=>document.hidden&&refresh(),5000);\
setInterval(()=>document.hidden||'looks'in main.dataset&&refresh(),2000);setInterval(count,1000);count();follow()"
    )
}
