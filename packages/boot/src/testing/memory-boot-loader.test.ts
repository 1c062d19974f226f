import { type BootLoaderBench, PowerFailure, testBootLoader } from '../conformance/index.ts';
import { MemoryBootLoader } from './memory-boot-loader.ts';

function openMemory(): BootLoaderBench {
  let left: number | undefined;
  const onWrite = () => {
    if (left === undefined) return;
    left -= 1;
    if (left <= 0) throw new PowerFailure();
  };
  const loader = new MemoryBootLoader({ onWrite });
  return {
    loader,
    install(slot, content) {
      loader.fillSlot(slot, content);
      loader.completeSlot(slot);
    },
    spoil: (slot) => loader.spoilSlot(slot),
    damageKernel: (slot) => loader.damageKernel(slot),
    loseChoice: () => loader.loseChoice(),
    start: () => loader.start()?.slot,
    failAfter(writes) {
      left = writes;
    },
    untouchable: () => loader.contents(),
  };
}

testBootLoader('in memory', openMemory);
