export { type MachineType, type NodeConfig, readNodeConfig } from './node-config.ts';
