/** Quotes a text in the Graphviz language. */
export function dotText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** A label in the HTML-like markup of Graphviz. */
export interface Markup {
  readonly markup: string;
}

export type DotAttributes = Readonly<Record<string, string | number | Markup | undefined>>;

/** Formats attributes as ` [label="..." color="..."]`. */
export function dotAttributes(attributes: DotAttributes): string {
  const words = Object.entries(attributes).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [`${name}=${typeof value === 'object' ? `<${value.markup}>` : dotText(String(value))}`];
  });
  return words.length === 0 ? '' : ` [${words.join(' ')}]`;
}

/** Escapes a text for markup. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
