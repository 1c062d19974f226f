import type { CompatServiceDefinition } from 'nice-grpc';

/** A service and its implementation, which is the generated `…ServiceImplementation` of the definition. */
export interface RpcService {
  readonly definition: CompatServiceDefinition;
  // biome-ignore lint/suspicious/noExplicitAny: the type follows from the definition, which a list cannot express
  readonly implementation: any;
}
