import type { Configuration } from '../config-document.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { CheckedDocument, noFindings } from './checked-document.ts';
import { conflictErrors } from './conflicts.ts';
import { containerErrors } from './container-errors.ts';
import { documentRules } from './document-rules.ts';
import { formatErrors } from './format-errors.ts';
import { checkImageVersion } from './image-version.ts';
import { checkLegacyDocument } from './legacy/check-legacy-document.ts';

/** Where a configuration is to be used. */
export const validationModes = ['metal', 'metal-agent', 'cloud', 'container'] as const;

export type ValidationMode = (typeof validationModes)[number];

export interface ValidateOptions {
  readonly mode: ValidationMode;
  /** Warnings about the v1alpha1 document become errors. */
  readonly strict?: boolean;
  /** Leaves out what only a node checks: versions of Kubernetes in the tags of images. */
  readonly local?: boolean;
  /** A node that is installed already needs no place to install to. */
  readonly isInstalled?: boolean;
}

export interface ValidationResult {
  /** One line each. */
  readonly warnings: readonly string[];
  /** Each begins with the document it is about, where it is about one; may have several lines. */
  readonly errors: readonly string[];
}

/**
 * Checks what decoding cannot: whether the values make sense, by themselves and together. Nothing is thrown; a
 * configuration without errors can be used in that mode. `validationMessage` makes one text of the errors.
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

/** The errors as one text; undefined when there is none. */
export function validationMessage({ errors }: ValidationResult): string | undefined {
  return errors.length === 0 ? undefined : formatErrors(errors);
}
