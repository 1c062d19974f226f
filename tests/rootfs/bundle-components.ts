import { type Component, suppliers } from '../../rootfs/image/bill-of-materials.ts';
import { npmComponents } from '../../rootfs/image/npm-components.ts';
import { readInputs } from '../../tools/bundle-inputs.ts';
import { bundles } from '../../tools/bundles.ts';

/** A component that this project makes. */
export const own = (name: string): Component => ({ name, version: 'v0', supplier: suppliers.own });

/** The components of all bundles, as an image would list them that has all of them. */
export const bundleComponents = (checkout: string): Component[] =>
  bundles.flatMap(({ name }) => [
    own(name),
    ...npmComponents(checkout, { bundle: name, files: readInputs(checkout, name) }),
  ]);
