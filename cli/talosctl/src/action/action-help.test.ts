import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { rebootCommand } from '../commands/reboot.ts';
import { resetCommand } from '../commands/reset.ts';
import { shutdownCommand } from '../commands/shutdown.ts';
import type { CliEnvironment } from '../context/command-module.ts';

test('the help of reboot, reset and shutdown shows each default once, as a value that the flag accepts', () => {
  for (const module of [rebootCommand, resetCommand, shutdownCommand]) {
    const command = new Command('verb');
    module.define(command, {} as CliEnvironment);
    for (const option of command.helpInformation().split(/\n {2}(?=-)/)) {
      assert.ok(option.split('(default').length <= 2, option);
      assert.doesNotMatch(option, /default: \d+\)/);
    }
  }
});
