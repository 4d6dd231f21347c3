; What only dialects with markup have.

[(jsx_opening_element) (jsx_self_closing_element)] @element
