import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  field,
  message,
  optional,
  text,
  time,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';

const imageKeylessVerifierSpec = message({
  issuer: field(1, text),
  subject: unlessEmpty(2, text),
  subjectRegex: unlessEmpty(3, text),
});
export type ImageKeylessVerifierSpec = ValueOf<typeof imageKeylessVerifierSpec>;

const imagePublicKeyVerifierSpec = message({
  /** PEM. */
  certificate: field(1, text),
});
export type ImagePublicKeyVerifierSpec = ValueOf<typeof imagePublicKeyVerifierSpec>;

/** Rules for the verification of image signatures, in the order of their IDs. */
export const imageVerificationRules = defineKind({
  type: 'ImageVerificationRules.security.talos.dev',
  defaultNamespace: 'security',
  printColumns: {
    Pattern: '{.imagePattern}',
    Skip: '{.skip}',
    Deny: '{.deny}',
  },
  spec: {
    imagePattern: unlessEmpty(2, text),
    skip: field(3, bool),
    deny: field(4, bool),
    keylessVerifier: unlessEmpty(5, optional(imageKeylessVerifierSpec)),
    publicKeyVerifier: unlessEmpty(6, optional(imagePublicKeyVerifierSpec)),
  },
});
export type ImageVerificationRuleSpec = SpecOf<typeof imageVerificationRules>;

/** Trust anchors of signatures, as `trusted_root.json`. */
export const tufTrustedRoots = defineKind({
  type: 'TUFTrustedRoots.security.talos.dev',
  defaultNamespace: 'security',
  printColumns: {
    'Last Refresh': '{.lastRefreshTime}',
  },
  spec: {
    lastRefreshTime: unlessEmpty(1, time),
    jsonData: unlessEmpty(2, text),
  },
});
export type TufTrustedRootSpec = SpecOf<typeof tufTrustedRoots>;
