/**
 * The lowest version that the installer of this version upgrades. Raise it when a system before it could not read what an upgrade
 * needs, such as the files of its slot.
 */
export const lowestVersion = 'v1.14.0';
