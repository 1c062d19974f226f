import type { Command } from 'commander';
import type { CliEnvironment } from '../context/command-module.ts';
import type { NodeOptions } from '../nodes/node-options.ts';

export interface CompletionRequest {
  readonly env: CliEnvironment;
  readonly command: Command;
  /** Arguments before the cursor. */
  readonly args: readonly string[];
  /** Connection options before the cursor. */
  readonly nodeOptions: Partial<NodeOptions>;
}
