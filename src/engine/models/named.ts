/**
 * Ids that the service's reference names in full ("CL video line", "NT line", "Images", "Generic tasks"): what a person
 * can choose from while the account cannot be asked.
 */
export const modelsNamed: readonly string[] = [
  'vgen-2.0-cl',
  'vgen-2.0-cl-fast',
  'vgen-2.0-cl-mini',
  'vgen-2.0-cl-b-fast',
  'vgen-2.0-cl-b-mini',
  'vgen-2.0-nt',
  'vgen-2.0-nt-fast',
  'vgen-2.0-nt-mini',
];
