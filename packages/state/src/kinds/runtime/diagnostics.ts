import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { double, field, list, text, unlessEmpty } from '../../spec/field-types.ts';

/** Warnings for the user, by kind of problem. */
export const diagnostics = defineKind({
  type: 'Diagnostics.runtime.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Message: '{.message}',
  },
  spec: {
    message: field(1, text),
    details: field(2, list(text)),
  },
});
export type DiagnosticSpec = SpecOf<typeof diagnostics>;

/** Actions of the OOM handler, with numbers as IDs. */
export const oomActions = defineKind({
  type: 'OOMActions.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['oomaction', 'oomactions'],
  printColumns: {
    Time: '{.time}',
    Score: '{.score}',
  },
  isSensitive: true,
  spec: {
    triggerContext: unlessEmpty(1, text),
    score: unlessEmpty(2, double),
    processes: unlessEmpty(3, list(text)),
  },
});
export type OomActionSpec = SpecOf<typeof oomActions>;
