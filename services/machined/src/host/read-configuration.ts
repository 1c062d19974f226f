import { readFileSync } from 'node:fs';
import { Fault, faultFrom } from '@nodewright/fault';
import { type NodeConfig, readNodeConfig } from '@nodewright/machine-config';

/** @throws Fault with the path, and the line where there is one; no value of the configuration is quoted. */
export function readConfiguration(path: string): NodeConfig {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `there is no machine configuration at "${path}": ${message}`, { cause: error });
  }
  try {
    return readNodeConfig(text);
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `"${path}": ${message}`);
  }
}
