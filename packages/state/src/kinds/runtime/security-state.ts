import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, text, unlessEmpty } from '../../spec/field-types.ts';
import { fipsState, seLinuxState } from './enumerations.ts';

/** State of Secure Boot, SELinux, FIPS and kernel module signatures. */
export const securityStates = defineKind({
  type: 'SecurityStates.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'securitystate',
  printColumns: {
    SecureBoot: '{.secureBoot}',
    UKISigningKeyFingerprint: '{.ukiSigningKeyFingerprint}',
    PCRSigningKeyFingerprint: '{.pcrSigningKeyFingerprint}',
    SELinuxState: '{.selinuxState}',
    ModuleSignatureEnforced: '{.moduleSignatureEnforced}',
  },
  spec: {
    secureBoot: field(1, bool),
    ukiSigningKeyFingerprint: unlessEmpty(2, text),
    /** Hexadecimal bytes separated by colons. */
    pcrSigningKeyFingerprint: unlessEmpty(3, text),
    selinuxState: unlessEmpty(4, seLinuxState),
    fipsState: unlessEmpty(6, fipsState),
    bootedWithUKI: unlessEmpty(5, bool),
    moduleSignatureEnforced: unlessEmpty(7, bool),
  },
});
export type SecurityStateSpec = SpecOf<typeof securityStates>;
