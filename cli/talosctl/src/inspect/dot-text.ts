/** A text of the Graphviz language. */
export function dotText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

export type DotAttributes = Readonly<Record<string, string | number | undefined>>;

/** `[label="..." color="..."]`; values that begin with `<` are labels of the markup kind. */
export function dotAttributes(attributes: DotAttributes): string {
  const words = Object.entries(attributes).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const isMarkup = typeof value === 'string' && value.startsWith('<');
    return [`${name}=${isMarkup ? `<${value}>` : dotText(String(value))}`];
  });
  return words.length === 0 ? '' : ` [${words.join(' ')}]`;
}

/** A text as markup holds it. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
