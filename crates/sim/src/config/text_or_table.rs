//! Settings that are written as a text or as a table, whichever reads better.

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

/// A `T` that deserialises from a text (by [`FromStr`]) or from a table (by [`Deserialize`]), with the
/// error of the notation that was used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextOrTable<T>(pub T);

impl<T: FromStr> FromStr for TextOrTable<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(Self)
    }
}

/// A setting that may have a text.
pub trait Text {
    /// The text that says it all, where there is one.
    fn text(&self) -> Option<String>;
}

impl<T: Text + Serialize> Serialize for TextOrTable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.text() {
            Some(text) => serializer.serialize_str(&text),
            None => self.0.serialize(serializer),
        }
    }
}

impl<'de, T> Deserialize<'de> for TextOrTable<T>
where
    T: FromStr + Deserialize<'de>,
    T::Err: Display,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T> Visitor<'de> for Either<T>
        where
            T: FromStr + Deserialize<'de>,
            T::Err: Display,
        {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a table")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(Either(PhantomData)).map(Self)
    }
}
