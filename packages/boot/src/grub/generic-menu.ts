// The menu of GRUB, `/grub/grub.cfg` on BOOT. It is the same on every disk and for every version: the choice is in the environment block, and
// the entries are in the folders of the slots. Source: GRUB 2.12, configuration file.
import { slotFiles } from '../slot/slot-files.ts';

/** How long a person may choose another entry. */
const timeoutSeconds = 3;

/**
 * The text of the menu. It appears on the screen and on the first serial port.
 *
 * The slot that is started once is removed from the environment block before it is started, so that a system that does not come up is not
 * started again. When the block cannot be written, the default is started. Of two entries the one that is to be started comes first, and the
 * other one is what GRUB takes when the first one cannot be loaded. It counts them, because it would use an entry that does not exist.
 */
export function genericMenu(): string {
  return `set timeout=${timeoutSeconds}
serial --unit=0 --speed=115200
terminal_input console serial
terminal_output console serial
load_env saved_entry next_entry
set slot=A
if [ "$saved_entry" = B ]; then
  set slot=B
fi
if [ -n "$next_entry" ]; then
  set once="$next_entry"
  set next_entry=
  if save_env next_entry; then
    if [ "$once" = A -o "$once" = B ]; then
      set slot="$once"
    fi
  fi
fi
if [ "$slot" = A ]; then
  set other=B
else
  set other=A
fi
set default=0
set entries=
for name in $slot $other; do
  set complete=
  if [ -f /$name/${slotFiles.digests} -a -f /$name/${slotFiles.entry} ]; then
    source /$name/${slotFiles.entry}
  fi
  if [ "$complete" = "$name" ]; then
    if [ -n "$entries" ]; then
      set fallback=1
    fi
    set entries=1
  fi
done
`;
}

/** Whether a menu takes the choice from the environment block, and forgets there what it starts once. Menus of earlier versions do not. */
export function readsEnvironment(menu: string): boolean {
  const lines = menu.split('\n').map((line) => line.trim().split(' '));
  const reads = lines.some(([word]) => word === 'load_env');
  const forgets = (words: readonly string[]) => words[0] === 'save_env' && words[1]?.startsWith('next_entry');
  return reads && lines.some((words) => forgets(words[0] === 'if' ? words.slice(1) : words));
}
