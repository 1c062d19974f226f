import { bundles, readInputs } from '@nodewright/build/bundles';
import { type Component, suppliers } from '../../rootfs/image/bill-of-materials.ts';
import { npmComponents } from '../../rootfs/image/npm-components.ts';

/** A component that this project makes. */
export const own = (name: string): Component => ({ name, version: 'v0', supplier: suppliers.own });

/** The components of all bundles, as an image would list them that has all of them. */
export const bundleComponents = (checkout: string): Component[] =>
  bundles.flatMap(({ name }) => [
    own(name),
    ...npmComponents(checkout, { bundle: name, files: readInputs(checkout, name) }),
  ]);
