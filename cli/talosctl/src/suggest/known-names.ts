import type { Fault } from '@nodewright/fault';
import type { CompletionRequest } from '../completion/completion-request.ts';

/** The names that a word of a command line can stand for, and how a failure reports an unknown one. */
export interface KnownNames {
  /** Index of the argument. */
  readonly argument: number;
  readonly isMissing: (fault: Fault) => boolean;
  /** Reads the names from the nodes of the command line, in one call. */
  readonly names: (request: CompletionRequest) => Promise<readonly string[]>;
}

const isMissing = ({ kind, message }: Fault) =>
  kind === 'not-found' || (kind === 'unknown' && message.endsWith('was not registered'));

/** Per command: the argument that names something on a node. */
export const knownNames: Readonly<Record<string, KnownNames>> = {
  diskfree: {
    argument: 0,
    isMissing,
    names: async (request) =>
      (await import('../completion/known-resources.ts')).resourceIds(request, 'volumestatuses'),
  },
  get: {
    argument: 1,
    isMissing,
    names: async (request) =>
      (await import('../completion/known-resources.ts')).resourceIds(request, request.args[0] ?? ''),
  },
  logs: {
    argument: 0,
    isMissing,
    names: async (request) => (await import('../completion/known-services.ts')).logIds(request),
  },
  service: {
    argument: 0,
    isMissing,
    names: async (request) => (await import('../completion/known-services.ts')).serviceIds(request),
  },
};
