import type { Configuration } from '../config-document.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { CheckedDocument, noFindings } from './checked-document.ts';
import { conflictErrors } from './conflicts.ts';
import { containerErrors } from './container-errors.ts';
import { documentRules } from './document-rules.ts';
import { formatErrors } from './format-errors.ts';
import { checkImageVersion } from './image-version.ts';
import { checkLegacyDocument } from './legacy/check-legacy-document.ts';

/** The kind of platform that a configuration is for. */
export const validationModes = ['metal', 'metal-agent', 'cloud', 'container'] as const;

export type ValidationMode = (typeof validationModes)[number];

export interface ValidateOptions {
  readonly mode: ValidationMode;
  /** Report warnings about the v1alpha1 document as errors. */
  readonly strict?: boolean;
  /** Skip checks that only a node makes: Kubernetes versions in image tags. */
  readonly local?: boolean;
  /** The node is already installed and needs no `machine.install`. */
  readonly isInstalled?: boolean;
}

export interface ValidationResult {
  /** Warnings, one line each. */
  readonly warnings: readonly string[];
  /** Errors. Each starts with the label of its document, if it is about one, and may have several lines. */
  readonly errors: readonly string[];
}

/**
 * Checks what the decoder cannot: whether values are valid, alone and in combination. It never throws. A
 * configuration without errors can be used in that mode. `validationMessage` formats the errors.
 *
 * Source: Talos v1.14: machine configuration, validation.
 */
export function validateConfiguration(
  configuration: Configuration,
  options: ValidateOptions,
): ValidationResult {
  const results = configuration.map((document) => {
    const findings = noFindings();
    const checked = new CheckedDocument(document, findings);
    if (document.kind !== legacyKind) {
      documentRules[document.kind]?.(checked);
      if (!options.local) checkImageVersion(checked);
      const { label } = checked;
      return {
        warnings: findings.warnings.map((warning) => `${label}: ${warning}`),
        errors: findings.errors.length > 0 ? [`${label}: ${findings.errors.join('\n')}`] : [],
      };
    }
    checkLegacyDocument(checked, {
      ...options,
      needsInstall: options.mode === 'metal' && !options.isInstalled,
    });
    const errors = [
      ...findings.errors,
      ...(options.strict ? findings.warnings.map((warning) => `warning: ${warning}`) : []),
    ];
    return {
      warnings: options.strict ? [] : findings.warnings,
      errors: errors.length > 0 ? [`v1alpha1.Config: ${formatErrors(errors)}`] : [],
    };
  });
  return {
    warnings: results.flatMap(({ warnings }) => warnings),
    errors: [
      ...results.flatMap(({ errors }) => errors),
      ...conflictErrors(configuration),
      ...containerErrors(configuration, options.mode),
    ],
  };
}

/** Formats the errors as one text; `undefined` when there are none. */
export function validationMessage({ errors }: ValidationResult): string | undefined {
  return errors.length === 0 ? undefined : formatErrors(errors);
}
