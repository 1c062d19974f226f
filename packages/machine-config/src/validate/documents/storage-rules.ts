import type { CheckedDocument, DocumentRules } from '../checked-document.ts';
import { requireExpression } from '../require-expression.ts';
import { checkSizeBounds } from './block-rules.ts';

/** Rules for software storage. Source: Talos v1.14: machine configuration, software storage. */
export const storageRules: DocumentRules = {
  LVMVolumeGroupConfig(document) {
    checkName(document, 63);
    requireExpression(document, 'volume', ['provisioning', 'volumeSelector', 'match']);
  },
  LVMLogicalVolumeConfig(document) {
    checkName(document, 63);
    checkLayout(document);
    document.require('provisioning', 'volumeGroup');
    if (
      document.require('provisioning', 'maxSize') &&
      document.text('provisioning', 'maxSize').startsWith('-')
    )
      document.refuse('must not be negative', 'provisioning', 'maxSize');
    else checkSizeBounds(document);
  },
  RAIDArrayConfig(document) {
    checkName(document, 32);
    requireExpression(document, 'volume', ['provisioning', 'volumeSelector', 'match']);
  },
};

function checkName(document: CheckedDocument, maxLength: number): void {
  if (!new RegExp(`^[A-Za-z0-9_-]{1,${maxLength}}$`).test(document.name))
    document.refuse(`must be 1 to ${maxLength} letters, digits, "_" and "-"`, 'name');
}

function checkLayout(document: CheckedDocument): void {
  const type = document.text('type') || 'linear';
  const atLeast = (key: string, least: number, types: readonly string[]) => {
    const count = document.integer(key);
    if (count === undefined) return;
    if (!types.includes(type)) document.refuse(`needs the type ${types.join(' or ')}`, key);
    else if (count < least) document.refuse(`must be at least ${least}`, key);
  };
  if (document.integer('mirrors') !== 0) atLeast('mirrors', 1, ['raid1', 'raid10']);
  atLeast('stripes', 2, ['raid0', 'raid10']);
}
