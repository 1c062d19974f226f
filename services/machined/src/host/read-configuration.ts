import { readFileSync } from 'node:fs';
import { Fault, faultFrom } from '@nodewright/fault';
import { type NodeConfig, readNodeConfig } from '@nodewright/machine-config';

/** The machine configuration, and its text. The text is a secret. */
export interface LoadedConfiguration {
  readonly config: NodeConfig;
  readonly text: string;
}

/** @throws Fault with the path, and the line where there is one; no value of the configuration is quoted. */
export function readConfiguration(path: string): LoadedConfiguration {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `there is no machine configuration at "${path}": ${message}`, { cause: error });
  }
  try {
    return { config: readNodeConfig(text), text };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `"${path}": ${message}`);
  }
}
