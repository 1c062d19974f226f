/** A text of the Graphviz language. */
export function dotText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** A label that is not a text but a table of several. */
export interface Markup {
  readonly markup: string;
}

export type DotAttributes = Readonly<Record<string, string | number | Markup | undefined>>;

/** ` [label="..." color="..."]`. */
export function dotAttributes(attributes: DotAttributes): string {
  const words = Object.entries(attributes).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [`${name}=${typeof value === 'object' ? `<${value.markup}>` : dotText(String(value))}`];
  });
  return words.length === 0 ? '' : ` [${words.join(' ')}]`;
}

/** A text as markup holds it. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
