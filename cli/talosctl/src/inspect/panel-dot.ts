import { isOutput } from './dependency.ts';
import { ink, lineLooks, paleInk } from './dependency-colours.ts';
import { dotAttributes, dotText, escapeMarkup, type Markup } from './dot-text.ts';
import { familyOfType, groupOfController, nameOfController, nameOfType } from './family.ts';
import type { ControllerBox, FamilyPanel, NamedInput, TypeNote } from './family-panels.ts';

/** The number of resources of a type that are listed by name; the others are counted. */
const mostIds = 6;

/** One panel in the Graphviz language, with colours and styles. */
export function panelDot({ controllers, types, lines }: FamilyPanel, tint: string): string {
  const usual = usualGroup(controllers);
  const font = dotAttributes({ fontname: 'Helvetica', fontsize: 11, fontcolor: ink, color: paleInk });
  return [
    'digraph {',
    'rankdir="LR"; nodesep="0.12"; ranksep="0.7"; bgcolor="transparent"; pad="0.05";',
    `node${font};`,
    'edge [arrowsize="0.6"];',
    ...controllers.map((box) => controllerLine(box, usual)),
    ...types.map((note) => typeLine(note, tint)),
    ...lines.map((line) => {
      const [from, to] = isOutput(line) ? [line.controller, line.type] : [line.type, line.controller];
      const { color, width, style } = lineLooks[line.kind];
      const facts = { color, penwidth: width, style, edgetooltip: lineTitle(line) };
      return `${dotText(from)} -> ${dotText(to)}${dotAttributes(facts)};`;
    }),
    '}',
  ].join('\n');
}

/** The group of most controllers in a panel. Controllers of other groups show theirs. */
function usualGroup(controllers: readonly ControllerBox[]): string {
  const groups = Map.groupBy(controllers, ({ name }) => groupOfController(name));
  groups.delete('');
  const [most] = [...groups].sort(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? '';
}

function controllerLine({ name, isAtHome, namedInputs }: ControllerBox, usual: string): string {
  const group = groupOfController(name);
  const rows = [
    `<tr><td align="left"><b>${escapeMarkup(nameOfController(name))}</b></td></tr>`,
    ...(group === '' || group === usual ? [] : [smallRow(`of ${group}`)]),
    ...namedInputs.map(namedInputRow),
  ];
  const label = table(rows);
  const look = isAtHome
    ? { style: 'filled', fillcolor: 'white' }
    : { style: 'filled,dashed', fillcolor: '#f6f8fa', fontcolor: paleInk };
  return `${dotText(name)}${dotAttributes({ shape: 'box', label, tooltip: name, ...look })};`;
}

function namedInputRow({ kind, type, id }: NamedInput): string {
  const { mark, color } = lineLooks[kind];
  const text = `${nameOfType(type)}${id === '' ? '' : `#${id}`}`;
  return `<tr><td align="left"><font point-size="9" color="${color}">${mark}</font><font point-size="9" color="${paleInk}"> ${escapeMarkup(text)}</font></td></tr>`;
}

const table = (rows: readonly string[]): Markup => ({
  markup: `<table border="0" cellborder="0" cellspacing="0" cellpadding="1">${rows.join('')}</table>`,
});

const smallRow = (text: string) =>
  `<tr><td align="left"><font point-size="9" color="${paleInk}">${escapeMarkup(text)}</font></td></tr>`;

function typeLine({ type, isAtHome, readers, ids }: TypeNote, tint: string): string {
  const rows = [`<tr><td align="left">${escapeMarkup(nameOfType(type))}</td></tr>`];
  if (!isAtHome) rows.push(smallRow(`in ${familyOfType(type)}`));
  if (isAtHome && readers > 0) rows.push(smallRow(`${readers} ${readers === 1 ? 'reader' : 'readers'}`));
  for (const id of ids.slice(0, mostIds)) rows.push(smallRow(`· ${id}`));
  if (ids.length > mostIds) rows.push(smallRow(`and ${ids.length - mostIds} more`));
  const label = table(rows);
  const look = isAtHome
    ? { style: 'filled', fillcolor: tint }
    : { style: 'filled,dashed', fillcolor: '#f6f8fa', fontcolor: paleInk };
  return `${dotText(type)}${dotAttributes({ shape: 'note', label, tooltip: type, ...look })};`;
}

const lineTitle = ({ controller, kind, type, id }: FamilyPanel['lines'][number]) =>
  `${controller} ${lineLooks[kind].meaning}: ${type}${id === '' ? '' : `#${id}`}`;
