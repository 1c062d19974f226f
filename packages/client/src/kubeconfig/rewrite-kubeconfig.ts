import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isSeq, parseDocument, type ScalarTag, type Tags } from 'yaml';
import { type Kubeconfig, printKubeconfig } from './kubeconfig.ts';

/**
 * The text of a kubeconfig file after it became `config`, which was parsed from `text` and changed. Everything that stayed keeps
 * its comments and the spelling of its scalars: as data, `0012345678901234567890` would come back as another number.
 */
export function rewriteKubeconfig(text: string, config: Kubeconfig): string {
  const document = parseDocument(text, { customTags: spelledNumbers });
  if (!isMap(document.contents)) return printKubeconfig(config);
  for (const key of ['clusters', 'contexts', 'users'] as const) {
    const entries = config[key];
    const list = document.get(key, true);
    if (!isSeq(list)) {
      if (entries.length > 0) document.set(key, document.createNode(entries));
      continue;
    }
    const before = list.items;
    // An empty list is written as [], and its first entry would be put between the brackets.
    if (before.length === 0) list.flow = false;
    list.items = entries.map(
      (entry) =>
        before.findLast((item) => isNode(item) && isDeepStrictEqual(item.toJS(document), entry)) ??
        document.createNode(entry),
    );
  }
  if (document.get('current-context') !== config.currentContext)
    document.set('current-context', config.currentContext);
  return document.toString({ lineWidth: 0 });
}

/** The tags of a schema, with numbers that are written as they were read. */
function spelledNumbers(tags: Tags): Tags {
  return tags.map((tag) => {
    if (typeof tag !== 'object' || !/:(int|float)$/.test(tag.tag)) return tag;
    const { stringify } = tag as ScalarTag;
    const asRead: ScalarTag['stringify'] = (item, ...rest) => item.source ?? stringify?.(item, ...rest) ?? '';
    return { ...(tag as ScalarTag), stringify: asRead };
  });
}
