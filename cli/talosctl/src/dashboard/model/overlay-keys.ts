import { helpLines } from './key-table.ts';
import { type DashboardModel, serviceNames, shownNode } from './model.ts';
import { moved } from './moved.ts';
import { menuEntries, type Overlay } from './overlay.ts';

/** The model after a key while something lies over the screen. */
export function afterOverlayKey(
  model: DashboardModel,
  overlay: Overlay,
  word: string,
  page: number,
): DashboardModel {
  const show = (changed: Overlay): DashboardModel => ({ ...model, overlay: changed });
  if (word === 'escape' || word === 'q') return closed(model);
  switch (overlay.kind) {
    case 'help': {
      if (word === '?' || word === 'enter') return closed(model);
      return show({ ...overlay, scroll: moved(overlay.scroll, word, page, helpLines.length) });
    }
    case 'menu': {
      const at = menuEntries.findIndex(({ key }) => key === word);
      if (at < 0 && word !== 'enter')
        return show({ ...overlay, at: moved(overlay.at, word, page, menuEntries.length) });
      const entry = menuEntries[at < 0 ? overlay.at : at];
      if (entry === undefined) return model;
      if ('verb' in entry) return show({ kind: 'services', verb: entry.verb, at: 0 });
      return show({ kind: 'question', node: shownNode(model).name, planned: entry.planned });
    }
    case 'services': {
      const services = serviceNames(shownNode(model));
      if (word !== 'enter') return show({ ...overlay, at: moved(overlay.at, word, page, services.length) });
      const id = services[overlay.at];
      if (id === undefined) return model;
      const planned = { kind: 'service', verb: overlay.verb, id } as const;
      return show({ kind: 'question', node: shownNode(model).name, planned });
    }
    case 'question':
      // Nobody confirms an effect that is not on the screen yet.
      if (word === 'y' && overlay.lines !== undefined) return started(model, overlay);
      return word === 'n' || word === 'enter' ? closed(model) : model;
  }
}

const closed = (model: DashboardModel): DashboardModel => ({ ...model, overlay: undefined });

function started(
  model: DashboardModel,
  { node: name, planned }: Extract<Overlay, { readonly kind: 'question' }>,
): DashboardModel {
  const nodes = model.nodes.map((node) =>
    node.name === name
      ? {
          ...node,
          action: {
            ...{ serial: (node.action?.serial ?? 0) + 1, planned },
            ...{ state: 'running' as const, message: 'starting' },
          },
        }
      : node,
  );
  return { ...closed(model), nodes };
}
