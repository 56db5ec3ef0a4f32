import { presenterSpec } from '../../../contract/kinds/presenter.ts';
import { messageFor } from '../../../contract/messages/message.ts';
import { readMediaReference } from '../media-reference.ts';
import { namedMedia } from '../named-media.ts';
import { error, needs, promptNotSent, type Finding, type KindRules, type ShotDraft } from '../rules.ts';

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
      ? [error('avatar', needs(messageFor('kind.presenter'), 'avatar'), messageFor('remedy.nameAvatar'))]
      : []),
    ...(shot.params.audio === undefined
      ? [error('audio', needs(messageFor('kind.presenter'), 'audio'), messageFor('remedy.nameMedia'))]
      : []),
    ...Object.keys(purposes).flatMap((column) => checkAsset(shot, column)),
    ...checkOneFileForTwo(shot),
    ...(shot.prompt === '' ? [] : [promptNotSent(messageFor('kind.presenter'))]),
  ],
};

function checkAsset({ params }: ShotDraft, column: string): Finding[] {
  const cell = params[column];
  if (typeof cell !== 'string' || readMediaReference(cell).at !== 'url') return [];
  return [error(column, messageFor('defect.onlyAsset'), messageFor('remedy.uploadIt'))];
}

/** A file has one asset in a shot, and an asset one purpose. */
function checkOneFileForTwo({ params: { avatar, authorization } }: ShotDraft): Finding[] {
  if (avatar === undefined || avatar !== authorization) return [];
  return [error('authorization', messageFor('defect.avatarIsAuthorization'), messageFor('remedy.nameAuthorization'))];
}
