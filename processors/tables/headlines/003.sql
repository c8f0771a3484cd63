-- The address of a page is `url` in every table. A column of the sorting key cannot be renamed.
ALTER TABLE headlines ADD COLUMN IF NOT EXISTS url String ALIAS link COMMENT 'Address of the article' AFTER link;
ALTER TABLE headlines COMMENT COLUMN link 'The same as url: the name that the sorting key has'
