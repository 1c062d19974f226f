/** Colours: those of the system, or what the user chose. */
export type Scheme = 'system' | 'light' | 'dark';

const order: readonly Scheme[] = ['system', 'light', 'dark'];
const storageKey = 'scheme';

export function savedScheme(): Scheme {
  const saved = localStorage.getItem(storageKey);
  return order.find((scheme) => scheme === saved) ?? 'system';
}

export function nextScheme(scheme: Scheme): Scheme {
  return order[(order.indexOf(scheme) + 1) % order.length] ?? 'system';
}

export function applyScheme(scheme: Scheme): void {
  localStorage.setItem(storageKey, scheme);
  document.documentElement.dataset.scheme = scheme;
  document.dispatchEvent(new Event('schemechange'));
}
