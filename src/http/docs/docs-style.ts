/** How the reference looks: light or dark as the reader has it, on any width. */
export const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#1b2330,#e4e8ee);--soft:light-dark(#566173,#9ba7b7);--line:light-dark(#dfe4ea,#2a323e);
--back:light-dark(#fff,#11151b);--panel:light-dark(#f5f7f9,#181e26);--accent:light-dark(#0a675e,#62cfc0);--danger:light-dark(#a8321f,#ff9c8a);--top:3.75rem}
*{box-sizing:border-box}
html{scroll-padding-top:calc(var(--top) + 1rem)}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--back);display:grid;grid-template-columns:13rem minmax(0,1fr);grid-template-rows:auto 1fr}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;z-index:3;background:var(--back);padding:.5rem 1rem}
header{grid-column:1/-1;position:sticky;top:0;z-index:2;min-height:var(--top);display:flex;gap:1rem 2rem;align-items:center;flex-wrap:wrap;padding:.6rem 1.5rem;background:var(--back);border-bottom:1px solid var(--line)}
h1{font-size:1.25rem;margin:0;white-space:nowrap}h1 small{font-weight:400;color:var(--soft)}
.tools{display:flex;gap:1rem;flex:1;justify-content:flex-end}.tools[hidden]{display:none}
.tools label{display:flex;gap:.5rem;align-items:center;font-size:.85rem;color:var(--soft);flex:0 1 20rem;min-width:0}
input,textarea,button{font:inherit;color:inherit;background:var(--back);border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem;width:100%;min-width:0}
input,textarea{border-color:light-dark(#8a94a3,#5c6878)}
textarea,input[data-in]{font:.85rem/1.5 ui-monospace,monospace}textarea{resize:vertical}
nav{position:sticky;top:var(--top);align-self:start;max-height:calc(100vh - var(--top));overflow:auto;padding:1.25rem 0 2rem 1.5rem}
nav ul{list-style:none;margin:0;padding:0}nav a{display:block;padding:.2rem 0;text-decoration:none;text-transform:capitalize}nav a:hover{text-decoration:underline}
main{padding:1.25rem 1.5rem 8rem;max-width:64rem;outline:0}
h2{font-size:1.5rem;margin:2.5rem 0 .25rem;text-transform:capitalize}section:first-of-type h2{margin-top:0}
h3{font-size:1.05rem;margin:1.5rem 0 .25rem}h4{font-size:.9rem;margin:1.25rem 0 .35rem}h4 small,label small{font-weight:400;color:var(--soft)}
p{margin:.35rem 0;max-width:46rem}.group>p{color:var(--soft);margin-bottom:.75rem}
code,pre{font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}:not(pre)>code{overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem;margin:.25rem 0;overflow:auto;max-height:30rem}
details{border-top:1px solid var(--line)}details:last-child{border-bottom:1px solid var(--line)}
summary{cursor:pointer;display:grid;grid-template-columns:4.25rem minmax(0,2fr) minmax(0,3fr);gap:0 .75rem;align-items:baseline;padding:.55rem .25rem;list-style:none}
summary::-webkit-details-marker{display:none}summary:hover{background:var(--panel)}
.schema summary{display:block}
.summary{color:var(--soft);font-size:.92rem}.path{font-weight:600}
.method{font:600 .75rem ui-monospace,monospace;text-transform:uppercase;color:var(--accent)}.method.delete{color:var(--danger)}
.open{padding:.25rem .25rem 2rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;font-weight:400;padding:.4rem 1rem .4rem 0;border-top:1px solid var(--line)}th{width:14rem}tr:first-child>*{border-top:0}
td table{margin-top:.35rem;border-left:2px solid var(--line)}td table th{padding-left:.75rem;width:10rem}td p{color:var(--soft)}
.type{color:var(--soft)}.must{font-size:.75rem;color:var(--danger)}.status{font-weight:600;white-space:nowrap}
.try{margin-top:1.5rem;padding:.25rem 1rem 1rem;border:1px solid var(--line);border-radius:8px;background:var(--panel)}.try[hidden]{display:none}
.fields{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.6rem 1rem}
.fields label{display:block;font-size:.85rem}.fields label span{color:var(--soft)}.wide{grid-column:1/-1}
.send{display:flex;gap:.75rem;align-items:center;flex-wrap:wrap;margin-top:.9rem}
button{width:auto;cursor:pointer;padding:.4rem 1.1rem;font-weight:600}button[type=submit]{background:var(--accent);border-color:var(--accent);color:light-dark(#fff,#0d1117)}
output{font-size:.9rem}output.wrong{color:var(--danger)}
#found{color:var(--soft);margin:0}#found:empty{display:none}
.away{display:none!important}
@media (max-width:50rem){
:root{--top:6.5rem}
body{display:block}header{padding:.5rem 1rem;gap:.35rem 1rem}.tools{flex-basis:100%;gap:.5rem}.tools label{flex:1 1 0}.tools span{position:absolute;left:-99rem}
nav{position:static;padding:.5rem 1rem 0;max-height:none}nav ul{display:flex;flex-wrap:wrap;gap:0 1rem}nav a{padding:.35rem 0}
main{padding:1rem 1rem 6rem}
summary{grid-template-columns:4.25rem minmax(0,1fr);padding:.7rem 0}.summary{grid-column:2}
th,td{display:block;width:auto;padding:.35rem 0 0;border-top:0}tr{display:block;border-top:1px solid var(--line);padding-bottom:.4rem}td table th{width:auto}td table tr{padding-left:.75rem}td table th{padding-left:0}
input,textarea,button{font-size:16px}
}
`;
