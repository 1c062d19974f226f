import { message } from './composite-types.ts';
import { field } from './field.ts';
import type { FieldType } from './field-type.ts';
import { text } from './scalar-types.ts';

const urlMessage = message({ fullPath: field(1, text) });

/**
 * A URL as text. In YAML it is a map of its parts. Source: Talos v1.14: COSI encoding, YAML peculiarities.
 */
export const url: FieldType<string> = {
  ...text,
  shape: { word: 'url' },
  toYaml: partsOf,
  write: (writer, number, value) => urlMessage.write(writer, number, { fullPath: value }),
  read: (reader, wireType) => urlMessage.read(reader, wireType, urlMessage.empty).fullPath,
};

// The `URL` class is not used: it normalizes its input and supports fewer schemes.
function partsOf(value: string): Record<string, unknown> {
  const [beforeFragment = '', fragment = ''] = splitAt(value, '#');
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(beforeFragment)?.[0] ?? '';
  const afterScheme = scheme === '' ? beforeFragment : beforeFragment.slice(scheme.length + 1);
  const [hierarchy = '', query] = splitAt(afterScheme, '?');
  const isOpaque = scheme !== '' && !hierarchy.startsWith('/');
  const [, authority, rawPath = ''] = isOpaque ? [] : (/^(?:\/\/([^/]*))?(.*)$/s.exec(hierarchy) ?? []);
  const at = (authority ?? '').lastIndexOf('@');
  const path = decoded(rawPath);
  return {
    scheme: scheme.toLowerCase(),
    opaque: isOpaque ? hierarchy : '',
    // Talos does not show the user information in YAML.
    user: at < 0 ? null : {},
    host: (authority ?? '').slice(at + 1),
    path,
    fragment: decoded(fragment),
    rawquery: query ?? '',
    rawpath: isDefaultEncoding(path, rawPath) ? '' : rawPath,
    rawfragment: isDefaultEncoding(decoded(fragment), fragment) ? '' : fragment,
    forcequery: query === '',
    omithost: false,
  };
}

function splitAt(value: string, mark: string): [string, string?] {
  const at = value.indexOf(mark);
  return at < 0 ? [value] : [value.slice(0, at), value.slice(at + 1)];
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function isDefaultEncoding(plain: string, raw: string): boolean {
  return plain === raw || encodeURI(plain) === raw;
}
