import type { CommandModule } from '../context/command-module.ts';
import { addInsecureOptions, addNodeOptions } from '../nodes/node-options.ts';
import { defineWipeDisk } from './wipe/disk.ts';

/** `talosctl wipe`: clears what the disks of nodes contain. Source: Talos v1.14: wipe disk. */
export const wipeCommand: CommandModule = {
  define(command, env) {
    addInsecureOptions(addNodeOptions(command));
    defineWipeDisk(command, env);
  },
};
