//! Settings that can be written as a text or as a table.

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

/// A setting with a short text notation besides its table.
pub trait Text: Sized {
    /// Reason why a text is not valid.
    type Error: Display;

    /// Parses the text.
    ///
    /// # Errors
    /// If the text is not valid.
    fn from_text(text: &str) -> Result<Self, Self::Error>;

    /// The text, if it can express the whole setting.
    fn text(&self) -> Option<String>;
}

/// A `T` that is read from a text or from a table; errors are those of the notation used. It is written as a
/// text if that can express it.
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
