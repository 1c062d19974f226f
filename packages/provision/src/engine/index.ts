// The Docker engine of this machine, through its command line: the provisioner, the tools and the tests ask it here.
export { askEngine, type EngineAnswer, judgeEngine } from './ask-engine.ts';
export { dockerLines } from './docker-lines.ts';
export { type Engine, engineVariables, openEngine, requireEngine, requireImages } from './engine.ts';
export { engineAccess } from './engine-access.ts';
export { type DockerResult, outcomeOf, runDocker, type TryDocker, tryDocker } from './run-docker.ts';
