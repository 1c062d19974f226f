// What a page does beside its text: the menu on a phone, buttons that copy code, and the mark of the section that is read.
const narrow = matchMedia('(max-width: 50rem)');
const short = matchMedia('(max-width: 78rem)');

const menu = document.querySelector('#menu');
const groups = document.querySelector('#groups');

function showMenu(isOpen) {
  groups.hidden = narrow.matches && !isOpen;
  menu.setAttribute('aria-expanded', String(!groups.hidden));
}

menu.hidden = false;
menu.addEventListener('click', () => showMenu(groups.hidden));
narrow.addEventListener('change', () => showMenu(false));
showMenu(false);
if (!narrow.matches) {
  const list = document.querySelector('nav.pages');
  const current = list.querySelector('[aria-current]');
  // Not scrollIntoView(), which would scroll the text as well.
  if (current !== null) list.scrollTop = current.offsetTop - list.clientHeight / 2;
}

/** A heading above this line of the window, in pixels, is that of the section that is read: a little below where links lead. */
const readFrom = 48;

const contents = document.querySelector('nav.contents details');
if (contents !== null) {
  const fit = () => {
    contents.open = !short.matches;
  };
  short.addEventListener('change', fit);
  fit();
  const links = new Map(
    [...contents.querySelectorAll('a')].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
  );
  const headings = [...document.querySelectorAll('main :is(h2, h3)')].filter(({ id }) => links.has(id));
  const mark = () => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < readFrom);
    const current = links.get((passed.at(-1) ?? headings[0])?.id);
    for (const link of links.values())
      if (link === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
  };
  let isPlanned = false;
  addEventListener(
    'scroll',
    () => {
      if (isPlanned) return;
      isPlanned = true;
      requestAnimationFrame(() => {
        isPlanned = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}

/** What somebody wants to paste: of a terminal only the commands. */
function copiedText(code) {
  const text = code.textContent.replace(/\n$/, '');
  if (!code.classList.contains('language-console')) return text;
  const commands = text.split('\n').filter((line) => line.startsWith('$ '));
  return commands.map((line) => line.slice(2)).join('\n');
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A browser that gives the clipboard only to pages of a server.
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}

const copied = /^language-(?:sh|console|yaml|json|hcl|ts)$/;
for (const code of document.querySelectorAll('pre > code')) {
  if (!copied.test(code.className)) continue;
  const block = document.createElement('div');
  block.className = 'block';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await copy(copiedText(code));
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  code.parentElement.replaceWith(block);
  block.append(code.parentElement, button);
}
