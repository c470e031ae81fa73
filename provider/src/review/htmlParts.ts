import { BOX } from "./htmlDrawing";

const { width, height, gap } = BOX;
const acrossPx = 3 * width + 2 * gap;
const downPx = 3 * height + 2 * gap;

/** The style of the page: for screens of any width, light and dark, and for paper. */
export const STYLE = `
:root{--back:#fff;--text:#1b1f24;--soft:#59636e;--line:#d1d9e0;--box:#f6f8fa;--high:#b42318;--medium:#8a5a00;--low:#1f5fae;--good:#1a7f37}
@media (prefers-color-scheme:dark){:root{--back:#0f1318;--text:#e6edf3;--soft:#9aa5b1;--line:#323b46;--box:#181e26;--high:#ff8a80;--medium:#f0b849;--low:#7cb7ff;--good:#6fdd8b}}
*{box-sizing:border-box}
html{scroll-padding-top:7rem}
body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}h2{font-size:1.2rem;margin:2rem 0 .75rem}h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
small,.detail,figcaption,footer,thead{color:var(--soft);font-weight:normal}
code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}
p{margin:.25rem 0}
.verdict{font-size:1.2rem;font-weight:700}
a{color:var(--low);white-space:nowrap}
#filters{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;padding:.75rem 0;background:var(--back);border-bottom:1px solid var(--line)}
#filters .search{display:flex;gap:.5rem;align-items:center;flex:1 1 14rem}
#filters input[type=search]{flex:1;min-width:0;font:inherit;padding:.35rem .6rem;color:inherit;background:var(--box);border:1px solid var(--line);border-radius:6px}
.chip{display:inline-flex;gap:.4rem;align-items:center;padding:.3rem .75rem;border:1px solid currentColor;border-radius:2rem;cursor:pointer}
.chip input{margin:0;accent-color:currentColor}
.high .severity,.chip.high,.tag.high{color:var(--high)}.medium .severity,.chip.medium,.tag.medium{color:var(--medium)}.low .severity,.chip.low,.tag.low{color:var(--low)}
article{padding:.75rem 1rem;margin:.5rem 0;border:1px solid var(--line);border-left-width:5px;border-radius:8px;background:var(--box)}
article.high{border-left-color:var(--high)}article.medium{border-left-color:var(--medium)}article.low{border-left-color:var(--low)}
article:target{outline:2px solid var(--low)}
.severity{display:inline-block;min-width:5rem;font-weight:700}
.detail{font-size:.875rem}.tag{font-size:.8rem;padding:.05rem .5rem;border:1px solid currentColor;border-radius:1rem;white-space:nowrap;color:var(--soft)}
.marks{display:flex;flex-wrap:wrap;gap:.35rem;margin:.35rem 0 .75rem}
.paths{display:flex;flex-wrap:wrap;gap:.75rem 1.5rem}
figure{margin:0}figcaption{font-size:.875rem}.none{display:grid;place-items:center;width:${width}px;height:${height}px;margin:0;padding:.5rem;text-align:center;font-size:.875rem;color:var(--soft);border:1.5px dashed var(--line);border-radius:8px}
svg{width:${acrossPx}px;height:${height}px;display:block}
svg .s1{transform:translate(${width + gap}px,0)}svg .s2{transform:translate(${2 * (width + gap)}px,0)}
svg rect{fill:var(--back);stroke:var(--line);stroke-width:1.5}svg rect.checks{stroke:var(--good)}svg rect.open{stroke:var(--high);stroke-dasharray:5 4}
.after rect.changed{stroke-width:3}.after rect.changed:not(.checks){stroke:var(--medium)}
svg text{fill:var(--text);font:13px system-ui,sans-serif}
svg .arrow{fill:none;stroke:var(--soft);stroke-width:1.5;transform:translate(0,${height / 2}px)}
table{width:100%;table-layout:fixed;margin-top:.75rem;border-collapse:collapse;font-size:.9rem}
th,td{padding:.35rem .5rem;text-align:left;vertical-align:top;border-top:1px solid var(--line);overflow-wrap:anywhere}tr>:first-child{width:11rem}
[hidden]{display:none!important}
@media (max-width:40rem){
.paths{flex-wrap:nowrap;gap:.75rem;justify-content:space-between}
svg{width:${width}px;height:${downPx}px}svg .s1{transform:translate(0,${height + gap}px)}svg .s2{transform:translate(0,${2 * (height + gap)}px)}
svg .arrow{transform:translate(${width / 2}px,0) rotate(90deg)}
thead{display:none}tr{display:block;padding:.4rem 0;border-top:1px solid var(--line)}th,td{display:block;width:auto!important;border:0;padding:.1rem 0}td::before{content:attr(data-label) ": ";color:var(--soft)}
}
@media print{
:root{--back:#fff;--text:#000;--soft:#444;--line:#bbb;--box:#fff;--high:#b42318;--medium:#8a5a00;--low:#1f5fae;--good:#1a7f37}
#filters,#nothing{display:none!important}body{max-width:none;padding:0;font-size:10.5pt}article{break-inside:avoid}h2{break-after:avoid}[hidden]{display:block!important}
}
`;

/** The filters of the page: by severity and by text. */
export const SCRIPT = `
(() => {
  const form = document.getElementById("filters");
  const items = [...document.querySelectorAll("[data-text]")].map((item) => ({ item, text: item.textContent.toLowerCase() }));
  const isChosen = ({ severity }) => severity === undefined || severity.split(" ").some((one) => one === "" || form.elements[one].checked);
  const show = () => {
    const text = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    for (const one of items) {
      one.item.hidden = !isChosen(one.item.dataset) || !one.text.includes(text);
      if (!one.item.hidden) shown++;
    }
    for (const section of document.querySelectorAll("section")) {
      const own = [...section.querySelectorAll("[data-text]")];
      section.hidden = own.length > 0 && own.every((item) => item.hidden);
    }
    document.getElementById("nothing").hidden = shown > 0 || items.length === 0;
    document.getElementById("shown").textContent = shown === items.length ? "" : shown + " of " + items.length + " shown";
  };
  form.addEventListener("input", show);
  show();
})();
`;
