// Syntax of names in DNS, Linux, Kubernetes and PCI.

const dns1123Label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';

/** Whether the text is a DNS-1123 subdomain, the form of most names in Kubernetes. */
export function isDns1123Subdomain(text: string): boolean {
  return text.length <= 253 && new RegExp(`^${dns1123Label}(?:\\.${dns1123Label})*$`).test(text);
}

/**
 * Whether the text consists of labels of letters, digits, `_` and `-`, up to 63 characters each and 255 in
 * all. No label begins with `-`.
 */
export function isDnsName(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.');
  return text.length <= 255 && labels.every((label) => /^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/.test(label));
}

/** Whether the kernel accepts the text as a link name, and keeps it: `%d` becomes a number. */
export function isLinkName(text: string): boolean {
  return (
    Buffer.byteLength(text) >= 1 &&
    Buffer.byteLength(text) <= 15 &&
    text !== '.' &&
    text !== '..' &&
    !/[/:%\s\p{C}]/u.test(text)
  );
}

/** Returns the problem with the `prefix/name` key of a label, annotation or taint, or `undefined`. */
export function labelKeyProblem(key: string): string | undefined {
  const parts = key.split('/');
  if (parts.length > 2) return 'has more than one slash';
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix !== undefined && !isDns1123Subdomain(prefix))
    return 'has a prefix that is not a DNS name in lower case';
  return isQualifiedName(name)
    ? undefined
    : 'must be up to 63 letters, digits, "-", "_" and ".", and begin and end with a letter or digit';
}

export function isLabelValue(text: string): boolean {
  return text === '' || isQualifiedName(text);
}

/** Whether the text has up to 63 letters, digits, `-`, `_` and `.`, and is alphanumeric at both ends. */
export function isQualifiedName(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(text);
}

/** Whether the text is a PCI address such as `0000:04:00.0`. The function may have one or two digits. */
export function isPciAddress(text: string): boolean {
  return /^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.0?[0-7]$/i.test(text);
}
