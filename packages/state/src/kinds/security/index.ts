// Source: Talos v1.14: COSI resources, security.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { imageVerificationRules, tufTrustedRoots } from './security.ts';

export * from './security.ts';

export const securityKinds: readonly ResourceKind[] = [imageVerificationRules, tufTrustedRoots];
