/** In place of `linkify-it`: plain addresses stay text (`linkify: false`), so the pages need no grammar of addresses. */
export class LinkifyIt {}
