/** How the page looks: on a screen of any width, in light and dark, and on paper. */
export const STYLE = `
:root{--back:#fff;--text:#1b1f24;--soft:#59636e;--line:#d1d9e0;--box:#f6f8fa;--high:#b42318;--medium:#8a5a00;--low:#1f5fae;--good:#1a7f37}
@media (prefers-color-scheme:dark){:root{--back:#0f1318;--text:#e6edf3;--soft:#9aa5b1;--line:#323b46;--box:#181e26;--high:#ff8a80;--medium:#f0b849;--low:#7cb7ff;--good:#6fdd8b}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}h2{font-size:1.2rem;margin:2rem 0 .75rem}h3{font-size:1rem;margin:0 0 .5rem;overflow-wrap:anywhere}
small,.detail,figcaption,footer,thead{color:var(--soft);font-weight:normal}
code{font:0.9em ui-monospace,monospace;overflow-wrap:anywhere}
p{margin:.25rem 0}
#filters{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.75rem 0;background:var(--back);border-bottom:1px solid var(--line)}
#filters .search{display:flex;gap:.5rem;align-items:center;flex:1 1 14rem}
#filters input[type=search]{flex:1;min-width:0;font:inherit;padding:.35rem .6rem;color:inherit;background:var(--box);border:1px solid var(--line);border-radius:6px}
article{padding:.75rem 1rem;margin:.5rem 0;border:1px solid var(--line);border-radius:8px;background:var(--box)}
.finding{border-left-width:5px}.finding.high{border-left-color:var(--high)}.finding.medium{border-left-color:var(--medium)}.finding.low{border-left-color:var(--low)}
.severity{display:inline-block;min-width:4.5rem;font-weight:700}.high .severity{color:var(--high)}.medium .severity{color:var(--medium)}.low .severity{color:var(--low)}
.detail{font-size:.875rem}.tag{font-size:.8rem;padding:.05rem .5rem;border:1px solid var(--line);border-radius:1rem;white-space:nowrap}
.paths{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:1rem}
figure{margin:0}figcaption{font-size:.875rem}.none{padding:1rem 0;color:var(--soft)}
svg{width:100%;max-width:34rem;height:auto;display:block}
svg rect{fill:var(--back);stroke:var(--line);stroke-width:1.5}svg rect.checks{stroke:var(--good)}svg rect.open{stroke:var(--high);stroke-dasharray:5 4}
svg text{fill:var(--text);font:13px system-ui,sans-serif}svg .arrow{fill:none;stroke:var(--soft);stroke-width:1.5}
table{width:100%;margin-top:.75rem;border-collapse:collapse;font-size:.9rem}
th,td{padding:.35rem .5rem;text-align:left;vertical-align:top;border-top:1px solid var(--line);overflow-wrap:anywhere}tbody th{width:11rem}
[hidden]{display:none!important}
@media (max-width:40rem){thead{display:none}tr{display:block;padding:.4rem 0;border-top:1px solid var(--line)}th,td{display:block;width:auto!important;border:0;padding:.1rem 0}td::before{content:attr(data-label) ": ";color:var(--soft)}}
@media print{#filters{display:none}body{max-width:none;padding:0;font-size:11pt}article{break-inside:avoid;background:none}[hidden]{display:block!important}}
`;

/** Shows what is asked for: findings of some severities, and whatever holds a text. */
export const SCRIPT = `
(() => {
  const form = document.getElementById("filters");
  const items = [...document.querySelectorAll("[data-text]")].map((item) => ({ item, text: item.textContent.toLowerCase() }));
  const show = () => {
    const text = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    for (const one of items) {
      const severity = one.item.dataset.severity;
      one.item.hidden = (severity !== undefined && !form.elements[severity].checked) || !one.text.includes(text);
      if (!one.item.hidden) shown++;
    }
    document.getElementById("shown").textContent = shown === items.length ? "" : shown + " of " + items.length + " shown";
  };
  form.addEventListener("input", show);
  show();
})();
`;
