// The search of the documentation. It runs on the index that the page has loaded, and sends nothing.
const maxResults = 30;
const input = document.querySelector('#search');
const results = document.querySelector('#results');
const entries = globalThis.searchIndex.map((entry) => ({
  ...entry,
  lowerHeading: entry.heading.toLowerCase(),
  lowerPage: entry.page.toLowerCase(),
  lowerText: entry.text.toLowerCase(),
}));

/** How well a section matches: 0 when a word is in none of its texts. A heading counts more than its text. */
function score(entry, words) {
  let sum = 0;
  for (const word of words) {
    if (entry.lowerHeading === word) sum += 20;
    else if (entry.lowerHeading.startsWith(word)) sum += 10;
    else if (entry.lowerHeading.includes(word)) sum += 6;
    else if (entry.lowerPage.includes(word)) sum += 3;
    else if (entry.lowerText.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function find(query) {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, maxResults);
}

function show() {
  const found = find(input.value);
  results.replaceChildren(
    ...found.map(({ entry }) => {
      const link = document.createElement('a');
      link.href = entry.address;
      link.textContent = entry.heading;
      const page = document.createElement('span');
      page.textContent = entry.heading === entry.page ? entry.text.slice(0, 80) : entry.page;
      const item = document.createElement('li');
      item.append(link, page);
      return item;
    }),
  );
  if (found.length === 0 && input.value.trim() !== '') {
    const item = document.createElement('li');
    item.textContent = 'Nothing found.';
    results.append(item);
  }
  results.hidden = input.value.trim() === '';
}

input.addEventListener('input', show);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') results.querySelector('a')?.click();
  if (event.key === 'Escape') {
    input.value = '';
    show();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === input || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  input.focus();
});
