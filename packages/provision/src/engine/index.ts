// The Docker engine of this machine, used through its command line. The provisioner, the tools and the tests
// all use it through this module.
export { askEngine, type EngineAnswer, judgeEngine } from './ask-engine.ts';
export { dockerLines } from './docker-lines.ts';
export { type Engine, engineVariables, openEngine, requireEngine, requireImages } from './engine.ts';
export { engineAccess } from './engine-access.ts';
export { type DockerResult, outcomeOf, runDocker, type TryDocker, tryDocker } from './run-docker.ts';
