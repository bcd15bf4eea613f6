//! Settings that are written as a text or as a table, whichever reads better.

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

/// A setting that has a short notation besides its table.
pub trait Text: Sized {
    /// Why a text is not the notation.
    type Error: Display;

    /// Reads the notation.
    ///
    /// # Errors
    /// Where the text is not it.
    fn from_text(text: &str) -> Result<Self, Self::Error>;

    /// The text that says it all, where there is one.
    fn text(&self) -> Option<String>;
}

/// A `T` that is read from a text or from a table, with the error of the notation that was used, and
/// written as a text where one says it all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextOrTable<T>(pub T);

impl<T: Text> FromStr for TextOrTable<T> {
    type Err = T::Error;

    fn from_str(text: &str) -> Result<Self, T::Error> {
        T::from_text(text).map(Self)
    }
}

impl<T: Text + Serialize> Serialize for TextOrTable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.text() {
            Some(text) => serializer.serialize_str(&text),
            None => self.0.serialize(serializer),
        }
    }
}

impl<'de, T: Text + Deserialize<'de>> Deserialize<'de> for TextOrTable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Text + Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a table")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
                T::from_text(text).map_err(E::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(Either(PhantomData)).map(Self)
    }
}
