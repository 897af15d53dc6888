"use strict";
const form = document.querySelector("form"), query = document.querySelector("#query"), said = document.querySelector("output");
const folds = [...document.querySelectorAll("details")], groups = folds.filter(fold => !fold.closest("li"));
const rows = [...document.querySelectorAll("tbody tr, main li")], texts = new Map();
let before = null, waiting = 0;
const open = how => folds.forEach((fold, at) => { fold.open = how(at); });
const keep = () => folds.map(fold => fold.open);
const text = row => {
  if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
  return texts.get(row);
};
const filter = () => {
  const words = query.value.toLowerCase().split(/\s+/).filter(word => word.length > 1);
  if (words.length && !before) before = keep();
  const found = new Set();
  let count = 0;
  for (const row of rows) {
    row.hidden = !words.every(word => text(row).includes(word));
    if (row.hidden) continue;
    count++;
    for (let fold = row.closest("details"); fold; fold = fold.parentElement.closest("details")) found.add(fold);
  }
  for (const fold of groups) {
    fold.hidden = words.length > 0 && !found.has(fold);
    if (words.length) fold.open = true;
  }
  if (!words.length && before) {
    const was = before;
    before = null;
    open(at => was[at]);
  }
  said.textContent = words.length ? count + " of " + rows.length : "";
};
query.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
form.addEventListener("submit", event => { event.preventDefault(); filter(); });
document.querySelector("#unfold").addEventListener("click", () => open(() => true));
document.querySelector("#fold").addEventListener("click", () => open(() => false));
let printed = null;
addEventListener("beforeprint", () => { printed = keep(); open(() => true); });
addEventListener("afterprint", () => { if (printed) open(at => printed[at]); });
addEventListener("hashchange", reveal);
function reveal() {
  const target = /^#[\w-]+$/.test(location.hash) && document.querySelector(location.hash);
  for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (target) target.scrollIntoView();
}
form.hidden = false;
reveal();
