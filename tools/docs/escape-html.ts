const names: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": '#39',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (found) => `&${names[found]};`);
}

/** The text of HTML that the documentation is made of, without its elements. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<\/?(?:a|code|span|em|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
