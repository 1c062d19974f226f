/** The folders of artefacts below `_out`, each with the folder `layout` and the archive `installer.tar`. */
export const installerFolders = { plain: 'installer', kubernetes: 'installer-kubernetes' } as const;
/** Its folders have the names of versions. */
export const upgradeImagesFolder = 'upgrade-images';
/** Its folders have the names of versions, too. Their artefacts are for nodes of processes only. */
export const rehearsalsFolder = 'rehearsals';
