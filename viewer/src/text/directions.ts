/** Characters that turn the direction of what follows: a title with one reads as another title, and turns the words beside it. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Texts of the folder with a mark in the place of each. The raw bytes have them still. */
export function withoutDirections(text: string): string {
  return text.replace(DIRECTIONS, "\ufffd");
}
