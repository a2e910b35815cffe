-- Long texts are searched by passage: their terms and their vectors are those of the passages.
-- The vectors are made anew in the background, as after a change of the embedder.
ALTER TABLE shelf ADD COLUMN passages BLOB;
UPDATE shelf SET terms = terms_of(r.text, r.speaker), model = 0, code = NULL
FROM records r WHERE r.number = shelf.number AND is_long(r.text);
DELETE FROM packs;
