import { presenterSpec } from '../../../contract/kinds/presenter.ts';
import { readMediaReference } from '../media-reference.ts';
import { namedMedia } from '../named-media.ts';
import { error, warning, type Finding, type KindRules, type ShotDraft } from '../rules.ts';

/** What each file is uploaded for (reference, "Assets and groups"). None of its purposes is for the audio of a video. */
const purposes: Readonly<Record<string, string>> = {
  avatar: 'digital_human_avatar',
  authorization: 'digital_human_authorization',
};

const media = namedMedia(presenterSpec, 'address');

/** Service reference, "Generic tasks": avatar and audio make a digital human video. */
export const presenterRules: KindRules = {
  mediaOf: (params) =>
    media(params).map((use) => {
      const purpose = purposes[use.column];
      return purpose === undefined ? use : { ...use, role: '', purpose };
    }),
  check: (shot) => [
    ...(shot.params.avatar === undefined
      ? [
          error(
            'avatar',
            'A presenter needs an avatar.',
            'Name a local file, or an asset that was uploaded as an avatar.',
          ),
        ]
      : []),
    ...(shot.params.audio === undefined
      ? [error('audio', 'A presenter needs audio to speak.', 'Name a local file, an asset or a URL.')]
      : []),
    ...Object.keys(purposes).flatMap((column) => checkAsset(shot, column)),
    ...checkOneFileForTwo(shot),
    ...(shot.prompt === ''
      ? []
      : [warning('prompt', 'A presenter takes no prompt: this one is kept but not sent.', 'Nothing to do.')]),
  ],
};

function checkAsset({ params }: ShotDraft, column: string): Finding[] {
  const cell = params[column];
  if (typeof cell !== 'string' || readMediaReference(cell).at !== 'url') return [];
  const problem = 'The service takes this only as an asset, not as a URL.';
  return [
    error(column, problem, 'Save the file beside the shot list and write its path, or upload it and name the asset.'),
  ];
}

/** A file has one asset in a shot, and an asset one purpose. */
function checkOneFileForTwo({ params: { avatar, authorization } }: ShotDraft): Finding[] {
  if (avatar === undefined || avatar !== authorization) return [];
  return [error('authorization', 'The same file is the avatar.', 'Name the file in which the person agrees.')];
}
