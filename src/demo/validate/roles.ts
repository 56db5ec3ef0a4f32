import type { MediaReference, ReferenceType } from './addresses.ts';
import { invalid } from './parse-fields.ts';

export const IMAGE_ROLES = ['reference_image', 'first_frame', 'last_frame'] as const;
export const ROLES = [...IMAGE_ROLES, 'reference_video', 'reference_audio'] as const;

const rolesOfType: Record<ReferenceType, readonly string[]> = {
  image: IMAGE_ROLES,
  video: ['reference_video'],
  audio: ['reference_audio'],
};

/** A role must fit the medium, and frames do not mix with reference images (reference: Videos, `images`). */
export function requireFittingRoles(references: MediaReference[]): void {
  for (const { field, type, role } of references) {
    if (!rolesOfType[type].includes(role)) {
      throw invalid('role_mismatch', `${field}: the role ${role} does not fit a reference of type ${type}.`);
    }
  }
  const roles = new Set(references.filter((reference) => reference.roleNamed).map((reference) => reference.role));
  if (roles.has('reference_image') && (roles.has('first_frame') || roles.has('last_frame'))) {
    throw invalid('mixed_roles', 'The roles first_frame and last_frame do not mix with reference_image.');
  }
}
