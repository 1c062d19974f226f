// The field of the search. The index and the search itself are loaded when somebody first goes to the field; nothing is sent anywhere.
const maxResults = 12;
const shownText = 110;
const input = document.querySelector('#search');
const results = document.querySelector('#results');
let loading;

/** Loads a script beside the page. A page that was opened from a file may load scripts, and nothing else. */
function loadScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${address} cannot be loaded`)));
    document.head.append(script);
  });
}

function loadSearch() {
  loading ??= Promise.all([loadScript('search-engine.js'), loadScript('search-index.js')]).then(() =>
    globalThis.documentationSearch.createPageSearch(globalThis.searchIndex),
  );
  return loading;
}

function itemOf({ address, page, group, heading, text }) {
  const link = document.createElement('a');
  link.href = address;
  link.textContent = page;
  const about = document.createElement('span');
  const isWhole = heading.toLowerCase() === page.toLowerCase();
  about.textContent = `${group}${isWhole ? '' : ` · ${heading}`} · ${text.slice(0, shownText)}`;
  const item = document.createElement('li');
  item.append(link, about);
  return item;
}

function message(text) {
  const item = document.createElement('li');
  item.textContent = text;
  return item;
}

async function show() {
  const question = input.value.trim();
  results.hidden = question === '';
  if (question === '') return results.replaceChildren();
  let found;
  try {
    found = (await loadSearch()).find(question, maxResults);
  } catch (cause) {
    return results.replaceChildren(message(`The search does not work: ${cause.message}`));
  }
  // Somebody may have typed on while the index was loaded.
  if (question !== input.value.trim()) return;
  results.replaceChildren(...(found.length === 0 ? [message('Nothing found.')] : found.map(itemOf)));
}

input.addEventListener('focus', () => loadSearch().catch(() => {}));
input.addEventListener('input', show);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') results.querySelector('a')?.click();
  if (event.key === 'ArrowDown' && !results.hidden) {
    event.preventDefault();
    results.querySelector('a')?.focus();
  }
});
results.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')];
  const index = links.indexOf(document.activeElement);
  if (event.key === 'ArrowDown') links[index + 1]?.focus();
  else if (event.key === 'ArrowUp') (links[index - 1] ?? input).focus();
  else return;
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && input.value !== '') {
    input.value = '';
    show();
    input.focus();
  }
  if (event.key !== '/' || event.target === input || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  input.focus();
});
