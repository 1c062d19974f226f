// The resources that the tests use.
import { defineKind, type SpecOf } from '../meta/define-kind.ts';
import { type NewResource, pointerTo } from '../resource.ts';
import { field, int, text } from '../spec/field-types.ts';
import type { ResourceEvent, Watch } from '../state.ts';

/** A kind for tests. */
export const notes = defineKind({
  type: 'Notes.test.nodewright.dev',
  defaultNamespace: 'desk',
  spec: { text: field(1, text), count: field(2, int) },
});
export type NoteSpec = SpecOf<typeof notes>;

export const note = (id: string) => pointerTo(notes, id);

export function newNote(
  id: string,
  more: Partial<Omit<NewResource<NoteSpec>, 'id'>> = {},
): NewResource<NoteSpec> {
  return { ...note(id), spec: { text: id, count: 0 }, ...more };
}

/** An event as a short text, such as `created a@1`. */
export function wordOf(event: ResourceEvent<NoteSpec>): string {
  if (event.kind === 'errored') return `errored ${event.message.split(':')[0]}`;
  if (!('resource' in event)) return event.kind;
  const { metadata } = event.resource;
  const old = event.kind === 'updated' ? ` was @${event.old.metadata.version}` : '';
  return `${event.kind} ${metadata.id}@${metadata.version}${old}`;
}

/** Reads a watch event by event. Each read waits for the next event. */
export class EventReader {
  readonly #watch: AsyncIterator<readonly ResourceEvent<NoteSpec>[], void>;
  #batch: readonly ResourceEvent<NoteSpec>[] = [];
  /** The last bookmark that was read. */
  bookmark: Uint8Array | undefined;

  constructor(watch: Watch<NoteSpec>) {
    this.#watch = watch[Symbol.asyncIterator]();
  }

  async next(): Promise<ResourceEvent<NoteSpec> | undefined> {
    if (this.#batch.length === 0) {
      const { value, done } = await this.#watch.next();
      if (done) return undefined;
      this.#batch = value;
    }
    const [event, ...rest] = this.#batch;
    this.#batch = rest;
    if (event !== undefined && 'bookmark' in event && event.bookmark) this.bookmark = event.bookmark;
    return event;
  }

  async words(count: number): Promise<string[]> {
    const words: string[] = [];
    while (words.length < count) {
      const event = await this.next();
      words.push(event === undefined ? 'end' : wordOf(event));
    }
    return words;
  }
}
